program model_test
  use model_model
  implicit none
  ! [room]
  logical :: bad
  bad = .false.
  ! [prepare]
  ! [calls]
  if (bad) stop 1
contains

  subroutine differs(name, x, golden, size_, tolerance)
    character(len=*), intent(in) :: name
    real(dp), intent(in) :: x(:), golden(:), size_, tolerance
    real(dp) :: worst
    character(len=4) :: verdict
    worst = maxval(abs(x - golden))/size_
    verdict = 'ok'
    if (.not. all(abs(x - golden) <= tolerance*size_)) then
      verdict = 'MISS'
      bad = .true.
    end if
    print '(a,a,es10.3e3,a,es10.3e3,a,a)', name, ' worst=', worst, ' tol=', tolerance, ' ', &
      trim(verdict)
  end subroutine differs

  ! [golden]
end program model_test
