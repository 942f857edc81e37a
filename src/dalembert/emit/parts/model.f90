! [about]

module model_model
  use, intrinsic :: iso_fortran_env, only: dp => real64
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan, ieee_positive_inf
  implicit none
  private
  public :: dp
  ! [counts]
  ! [publics]

  ! [names]

contains

  ! [sign]
  ! [functions]

end module model_model
