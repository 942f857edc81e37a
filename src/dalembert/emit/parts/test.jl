# Golden vectors. Exit 0 when all of them hold.

include("model.jl")
# [module]

using Printf

# rows before columns, as golden vectors are
flat(x::Number) = [x]
flat(x::AbstractVector) = x
flat(x::AbstractArray) = vec(permutedims(x, ndims(x):-1:1))

# Print how far results are from golden ones, in parts of `size`; return whether too far.
function differs(name, x, golden, size, tolerance)
    errors = abs.(flat(x) .- flat(golden)) ./ size
    bad = !all(errors .<= tolerance)
    worst = isempty(errors) ? 0.0 : maximum(errors)
    @printf("%s worst=%.3e tol=%.3e %s\n", name, worst, tolerance, bad ? "MISS" : "ok")
    return bad
end

bad = false
# [prepare]
# [golden]
exit(bad ? 1 : 0)
