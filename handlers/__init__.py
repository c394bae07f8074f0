"""Everything that comes in: receive, translate, call one workflow, render."""
