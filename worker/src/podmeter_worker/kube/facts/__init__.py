"""What a cluster is: read by the API and, where allowed, on its nodes. One file for each word."""
