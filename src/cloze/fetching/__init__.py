"""Web pages from a list of addresses, live or out of the Wayback Machine, kept as WARC."""
