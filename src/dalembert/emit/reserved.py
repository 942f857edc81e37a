"""Words that some target language keeps for itself, in lower case: no name may be one of them."""

_C = """
auto break case char const continue default do double else enum extern float for goto if inline int
long register restrict return short signed sizeof static struct switch typedef union unsigned void
volatile while bool complex imaginary true false null nan inf infinity main asm fortran typeof
size_t stdin stdout stderr errno assert offsetof thread local atomic alignas alignof noreturn
m_pi m_e huge_val sin cos tan asin acos atan atan2 exp log sqrt fabs fmin fmax pow floor ceil round
abs div signgam time clock read write open close remove rename linux
unix i386 exit abort signal raise random rand sinh cosh tanh erf erfc hypot fmod frexp modf ldexp
"""
_CPP = """
alignas alignof and and_eq bitand bitor catch class compl concept consteval constexpr constinit
const_cast co_await co_return co_yield decltype delete dynamic_cast explicit export false friend
mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
reinterpret_cast requires static_assert static_cast template this thread_local throw try typeid
typename using virtual wchar_t xor xor_eq override final import module std array span string vector
"""
_PYTHON = """
none and as assert async await class def del elif except finally from global import in is lambda
nonlocal not or pass raise with yield match case type self cls abs all any ascii bin bool bytearray
bytes callable chr classmethod compile complex delattr dict dir divmod enumerate eval exec filter
float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter
len list locals map max memoryview min next object oct open ord pow print property range repr
reversed round set setattr slice sorted staticmethod str sum super tuple vars zip math numpy np
casadi sys os copyright credits exit quit license ellipsis notimplemented
"""
_OCTAVE = """
function end endfunction endif endfor endwhile endswitch end_try_catch try_catch if elseif else for
while do until switch case otherwise return break continue global persistent try catch parfor spmd
classdef properties methods events enumeration endparfor end_unwind_protect unwind_protect
unwind_protect_cleanup arguments varargin varargout nargin nargout ans eps pi inf nan na zeros
ones eye size length numel disp printf fprintf error warning system shell_cmd evalin assignin feval
cellfun arrayfun num2str str2func deal ifelse merge isempty any all sum prod cumsum max min mod rem
sign real imag transpose det inv rank trace norm cross dot kron diag rand randn plot figure
"""
_FORTRAN = """
allocatable allocate assign associate asynchronous backspace bind block call character class close
codimension common concurrent contains contiguous cycle data deallocate deferred dimension
elemental elsewhere end endfile entry equivalence exit external final flush forall format function
generic goto implicit impure include inquire integer intent interface intrinsic kind len logical
module namelist nopass nullify only open operator optional parameter pass pause pointer print
private procedure program protected public pure read real recursive result return rewind save
select sequence stop subroutine target then type unit unlock lock use value volatile wait where
write aint anint dble dim dprod ieee_arithmetic iso_fortran_env iso_c_binding merge maxval minval
matmul reshape spread pack unpack count present precision product range scale selected_real_kind
"""
_RUST = """
as async await break const continue crate dyn else enum extern false fn for if impl in let loop
match mod move mut pub ref return self static struct super trait true type unsafe use where while
abstract become box do final macro override priv try typeof unsized virtual yield union macro_rules
f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize str option some none result ok err vec
core std alloc drop copy clone send sync sized fn fnmut fnonce
"""
_JULIA = "baremodule begin quote mutable macro primitive abstract elseif outer isa nothing missing"
_OURS = "model prepare everything casadi_int casadi_real"

RESERVED = frozenset(" ".join((_C, _CPP, _PYTHON, _OCTAVE, _FORTRAN, _RUST, _JULIA, _OURS)).split())
