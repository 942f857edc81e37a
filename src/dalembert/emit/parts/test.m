function bad = model_test()
  % Golden vectors: 0 when all of them hold.
  bad = 0;
  % [prepare]
  % [golden]
end

function bad = differs(name, x, golden, size_, tolerance)
  error_ = abs(x(:) - golden(:))/size_;
  bad = numel(x) ~= numel(golden) || ~all(error_ <= tolerance);
  verdict = 'ok';
  if bad
    verdict = 'MISS';
  end
  fprintf('%s worst=%.3e tol=%.3e %s\n', name, max([error_; 0]), tolerance, verdict);
end
