# [about]

module model

# [exports]

# [tables]
# [defaults]

_sqrt(x) = x >= 0 ? sqrt(x) : oftype(float(x), NaN)
_asin(x) = -1 <= x <= 1 ? asin(x) : oftype(float(x), NaN)
_acos(x) = -1 <= x <= 1 ? acos(x) : oftype(float(x), NaN)
_log(x) = x > 0 ? log(x) : oftype(float(x), NaN)
_wrong(n, x) = throw(DimensionMismatch("$n numbers are needed, not $(length(x))"))

# [functions]

end # module
