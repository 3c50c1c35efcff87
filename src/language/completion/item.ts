/** One thing that may be written. */
export interface CompletionItem {
  readonly label: string
  readonly kind:
    | 'keyword'
    | 'function'
    | 'event'
    | 'macro'
    | 'variable'
    | 'parameter'
    | 'namespace'
    | 'property'
    | 'enum'
  readonly detail: string
  /** What replaces the range; where it has places to fill in, `$1` and so on, it is a snippet. */
  readonly insert: string
  readonly isSnippet: boolean
  /** The name of the instruction, for the details that editors request later. */
  readonly mnemonic?: string
  /** Better ones come first. */
  readonly rank: number
}
