"""Lists of e-mail addresses: the request, the answers and the progress of a run."""
