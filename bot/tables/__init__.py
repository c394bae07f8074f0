"""Tables in dropped files, and tables that we return: CSV and XLSX, read as a whole before they are used."""
