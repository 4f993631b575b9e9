# Not a test: imported by `test_outside_reader` alone, lest every test know of its reader.
collect_ignore = ["outside"]
