"""The stack on one machine: embedded PostgreSQL and Redis, and the processes beside them."""
