/** Thrown where a program has something that is not compiled; engines catch it and refuse the program with its message. */
export class Unsupported extends Error {
  readonly statement: number
  constructor(message: string, statement: number) {
    super(message)
    this.statement = statement
  }
}
