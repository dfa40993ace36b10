"""Published figures as pages and comparisons read them."""
