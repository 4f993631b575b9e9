// The kernel that is launched: one pass, for the hidden size, the storage and the rows of a group that
// were chosen when it was compiled.
#if FORWARD
#if TENSOR
using Products = TensorForward;
#else
using Products = PlainForward<HIDDEN, GROUP_ROWS>;
#endif
extern "C" __global__ void __launch_bounds__(kThreads, 1) hopper_pass(const Forward<STORAGE> p) {
  forward_pass<HIDDEN, GROUP_ROWS, STORAGE, Products>(p);
}
#else
#if TENSOR
using Products = TensorBackward;
#else
using Products = PlainBackward<HIDDEN, GROUP_ROWS>;
#endif
extern "C" __global__ void __launch_bounds__(kThreads, 1) hopper_pass(const Backward<STORAGE> p) {
  backward_pass<HIDDEN, GROUP_ROWS, STORAGE, Products>(p);
}
#endif
