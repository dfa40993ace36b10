"""The keys that encrypt what is stored: what is under which, and taking an old one out of use."""
