"""Files that people give us, and tables read from them."""
