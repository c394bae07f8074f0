"""The only place that knows SQLAlchemy."""
