/** Messages of the debug adapter protocol as bytes: a header with the length, an empty line, JSON. */

const HEADER_END = '\r\n\r\n'
const DECODER = new TextDecoder()
const ENCODER = new TextEncoder()

export function encodeMessage(message: object): Uint8Array {
  const body = ENCODER.encode(JSON.stringify(message))
  const head = ENCODER.encode(`Content-Length: ${body.length}${HEADER_END}`)
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  return whole
}

/** A message of more is no request of a debugger. */
const MAX_MESSAGE_BYTES = 64 * 2 ** 20
const MAX_HEADER_BYTES = 4096

/** Cuts a stream of bytes into messages. What is no message is left out, up to the next header. */
export class MessageReader {
  #bytes = new Uint8Array(0)
  readonly #take: (message: unknown) => void

  constructor(take: (message: unknown) => void) {
    this.#take = take
  }

  push(bytes: Uint8Array): void {
    const all = new Uint8Array(this.#bytes.length + bytes.length)
    all.set(this.#bytes)
    all.set(bytes, this.#bytes.length)
    this.#bytes = all
    while (this.#next());
  }

  #headerEnd(): number {
    const { length } = this.#bytes
    for (let i = 0; i + 3 < length; i++) {
      if (this.#bytes[i] === 13 && this.#bytes[i + 1] === 10 && this.#bytes[i + 2] === 13 && this.#bytes[i + 3] === 10)
        return i
    }
    return -1
  }

  #next(): boolean {
    const end = this.#headerEnd()
    if (end < 0) {
      if (this.#bytes.length > MAX_HEADER_BYTES) this.#bytes = new Uint8Array(0)
      return false
    }
    const start = end + HEADER_END.length
    const length = Number(/Content-Length:\s*(\d+)/i.exec(DECODER.decode(this.#bytes.subarray(0, end)))?.[1])
    if (!Number.isSafeInteger(length) || length > MAX_MESSAGE_BYTES) {
      this.#bytes = this.#bytes.slice(start)
      return true
    }
    if (this.#bytes.length < start + length) return false
    const text = DECODER.decode(this.#bytes.subarray(start, start + length))
    this.#bytes = this.#bytes.slice(start + length)
    try {
      this.#take(JSON.parse(text))
    } catch (e) {
      if (!(e instanceof SyntaxError)) throw e
    }
    return true
  }
}
