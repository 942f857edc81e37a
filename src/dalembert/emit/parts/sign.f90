  pure elemental function sign_of(x) result(y)
    real(dp), intent(in) :: x
    real(dp) :: y
    y = x
    if (x > 0.0_dp) y = 1.0_dp
    if (x < 0.0_dp) y = -1.0_dp
  end function sign_of

