// One round of work at a time; what is asked for meanwhile is one more, and between two there is a pause.
import { Refused } from "./api.js";
import { wait } from "./dom.js";

export function rounds(work, pause) {
  let wanted = false;
  let busy = false;
  return async function again() {
    wanted = true;
    if (busy) return;
    busy = true;
    while (wanted) {
      wanted = false;
      try {
        await work();
      } catch (error) {
        // The server is away, or is asked too much: again, later. A mistake of ours is not made twice.
        if (!(error instanceof Refused)) console.error(error);
        else wanted = true;
        await wait(1500);
      }
      await wait(pause);
    }
    busy = false;
  };
}
