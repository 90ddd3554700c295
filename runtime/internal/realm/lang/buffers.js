// ArrayBuffer.prototype.transfer, transferToFixedLength and detached. No buffer of this
// engine can be resized, so there is no resize, resizable or maxByteLength.
(function (kit, global, native) {
  "use strict";
  const { TypeError, RangeError } = kit;
  const { ArrayBuffer, Uint8Array } = global;
  const { is, detached, detach } = native;
  const length = kit.getOwnPropertyDescriptor(ArrayBuffer.prototype, "byteLength").get;
  const set = kit.take(Object.getPrototypeOf(Uint8Array.prototype), "set");
  const { min, trunc } = Math;
  const most = Number.MAX_SAFE_INTEGER;

  const move = (buffer, given) => {
    if (!is(buffer)) throw new TypeError("the receiver is not an ArrayBuffer");
    let size = given === undefined ? kit.apply(length, buffer, []) : trunc(+given) || 0;
    if (size < 0 || size > most) throw new RangeError("Invalid array buffer length");
    if (detached(buffer)) throw new TypeError("the ArrayBuffer is detached");
    const out = new ArrayBuffer(size);
    const kept = min(size, kit.apply(length, buffer, []));
    if (kept > 0) set(new Uint8Array(out), new Uint8Array(buffer, 0, kept));
    detach(buffer);
    return out;
  };
  kit.missing(ArrayBuffer.prototype, {
    get detached() {
      if (!is(this)) throw new TypeError("the receiver is not an ArrayBuffer");
      return detached(this);
    },
    transfer(length = undefined) { return move(this, length); },
    transferToFixedLength(length = undefined) { return move(this, length); },
  });
})
