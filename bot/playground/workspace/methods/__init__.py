"""The Web API's methods by group, each module with its table ``METHODS``."""
