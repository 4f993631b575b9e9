import torch

# cuDNN would round the products of a GRU more coarsely than the tests allow.
torch.backends.cudnn.allow_tf32 = False

# Not a test: only `test_outside_reader` imports it, so that no other test sees its reader.
collect_ignore = ["outside"]
