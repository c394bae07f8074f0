"""Databases that versions before this one made, as SQL, and what stood outside of them then.

``make.py`` made that of version 0016, ``make_0019.py`` those of version 0019; each says how to run it again.
"""
