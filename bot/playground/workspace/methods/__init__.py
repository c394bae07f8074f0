"""The Web API's methods by group: a method is a function and a line in its module's ``METHODS``."""
