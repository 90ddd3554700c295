// queueMicrotask.
(function () {
  "use strict";
  const done = Promise.resolve();
  return {
    queueMicrotask: (callback) => {
      if (typeof callback !== "function") throw new TypeError("queueMicrotask needs a function");
      done.then(() => { callback(); });
    },
  };
})
