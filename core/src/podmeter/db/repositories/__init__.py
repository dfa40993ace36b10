"""Queries. Everything that reads or writes an organization's rows is made for that organization."""
