// Questions to the API while one types: the last one counts, whichever answer comes first.

/**
 * Ask `ask(value)` once the value has not changed for `pauseMs`, and pass what came of the newest question to `show`.
 *
 * `show` gets {isLoading: true} at each change, then {isLoading: false, value} or {isLoading: false, error}.
 */
export function latest({ ask, show, pauseMs, setTimer = setTimeout, clearTimer = clearTimeout }) {
  let round = 0;
  let timer = null;
  const stop = () => {
    round += 1;
    clearTimer(timer);
  };
  const change = (value) => {
    stop();
    const mine = round;
    show({ isLoading: true });
    timer = setTimer(async () => {
      const outcome = await ask(value).then((answer) => ({ value: answer }), (error) => ({ error }));
      if (mine === round) show({ isLoading: false, ...outcome });
    }, pauseMs);
  };
  return { change, stop };
}
