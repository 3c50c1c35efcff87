/**
 * A float as `%.9g` prints it with the C runtime of the disassembler: nine significant digits, trailing zeros cut, an
 * exponent of at least three digits outside 1e-5..1e9 (public listings have `9.99999975e-005`).
 */
export function float9(bits: number): string {
  const view = new DataView(new ArrayBuffer(4))
  view.setUint32(0, bits)
  const value = view.getFloat32(0)
  const negative = bits >>> 31 === 1
  if (Number.isNaN(value)) return negative ? '-1.#IND' : '1.#QNAN'
  if (!Number.isFinite(value)) return negative ? '-1.#INF' : '1.#INF'
  if (value === 0) return negative ? '-0' : '0'
  const [digits = '', exponentText = '0'] = value.toExponential(8).split('e')
  const exponent = Number(exponentText)
  if (exponent < -4 || exponent >= 9) {
    const power = String(Math.abs(exponent)).padStart(3, '0')
    return `${cutZeros(digits)}e${exponent < 0 ? '-' : '+'}${power}`
  }
  return cutZeros(value.toFixed(8 - exponent))
}

function cutZeros(digits: string): string {
  return digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits
}
