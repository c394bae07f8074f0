"""The Web API's methods by group; each module holds one table ``METHODS``."""
