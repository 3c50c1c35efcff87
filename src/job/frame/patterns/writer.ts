/** Writes little-endian values one after the other, for the patterns. */

export interface Writer {
  f32(...values: readonly number[]): void
  u32(...values: readonly number[]): void
  i16(...values: readonly number[]): void
  u8(...values: readonly number[]): void
  readonly bytes: Uint8Array
}

export function createWriter(byteLength: number): Writer {
  const bytes = new Uint8Array(byteLength)
  const view = new DataView(bytes.buffer)
  let at = 0
  const each = (values: readonly number[], size: number, write: (v: number) => void): void => {
    for (const v of values) {
      write(v)
      at += size
    }
  }
  return {
    f32: (...values) => each(values, 4, (v) => view.setFloat32(at, v, true)),
    u32: (...values) => each(values, 4, (v) => view.setUint32(at, v, true)),
    i16: (...values) => each(values, 2, (v) => view.setInt16(at, v, true)),
    u8: (...values) => each(values, 1, (v) => view.setUint8(at, v)),
    bytes,
  }
}
