# Not a test: only `test_outside_reader` imports it, so that no other test sees its reader.
collect_ignore = ["outside"]
