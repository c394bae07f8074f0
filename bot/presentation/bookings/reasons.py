"""Reasons why something about a booking or a store was not done. Plain text of our own."""

NO_MASTER_KEY = "Stores are made with DELIVERY_MASTER_KEY, which is missing; the operator can set it."
ADD_KEY = "list the stores (the master key brings their keys along) or add it to DELIVERY_STORE_KEYS"
NO_PUBLIC_URL = (
    "PUBLIC_URL is missing, so there is no address that the delivery service could reach, and nothing was registered"
)
ODD_ADDRESS = "an address that cannot be read"
SET_PUBLIC_URL = (
    "set PUBLIC_URL, e.g. PUBLIC_URL=https://switchboard.example.com; until then bookings are read now and then"
)


def no_key(store: str) -> str:
    """The key of a store is missing; foreign name."""
    return f"there is no key for the store {store}"


def name_taken(store: str) -> str:
    """A store cannot get the name of another; foreign name."""
    return f"There is a store called {store} already. Choose another name."
