
function x = pick(mask, yes, no)
  if mask
    x = yes;
  else
    x = no;
  end
end
