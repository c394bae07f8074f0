"""Databases that versions before this one made, as SQL, and what stood outside of them then."""
