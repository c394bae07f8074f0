"""What is posted to Slack, edited there and dropped there."""
