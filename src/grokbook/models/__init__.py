"""Models: parameters as plain named tensors, forward passes as functions of them."""
