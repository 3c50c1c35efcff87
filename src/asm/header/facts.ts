/** What the listing's comment header says about the code chunk. Whoever has decoded the program fills it in. */
export interface HeaderFacts {
  readonly stage: 'ps' | 'vs' | 'gs' | 'hs' | 'ds' | 'cs'
  /** The union of all `dcl_globalFlags`; the flags that the header does not mention are left out. */
  readonly globalFlags: {
    readonly enableDoublePrecisionFloatOps: boolean
    readonly forceEarlyDepthStencil: boolean
    readonly enableMinimumPrecision: boolean
    readonly enable11_1DoubleExtensions: boolean
    readonly enable11_1ShaderExtensions: boolean
  }
}
