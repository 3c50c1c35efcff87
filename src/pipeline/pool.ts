/** Arrays that a draw works with and the next draw can have: the host takes longer to make and to collect them than a small draw runs. */

export interface Pool<T> {
  /** One that was given back, with whatever it holds, or a new one. */
  acquire(): T
  release(one: T): void
}

/** Few are kept: draws of a device run one after the other. */
const MAX_FREE = 2

/** `drop` takes what is not kept. */
export function createPool<T>(make: () => T, drop: (one: T) => void = () => {}): Pool<T> {
  const free: T[] = []
  return {
    acquire: () => free.pop() ?? make(),
    release(one) {
      if (free.length < MAX_FREE) free.push(one)
      else drop(one)
    },
  }
}
