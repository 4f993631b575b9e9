"""A corpus as a reading test that other people's tools run: lm-evaluation-harness and Inspect."""
