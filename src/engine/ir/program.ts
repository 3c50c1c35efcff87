import type { Declarations } from '../declarations.ts'
import type { BindingTable } from './bindings.ts'
import type { Builder } from './builder.ts'
import type { Region } from './value.ts'

/** The program as values in structured regions, before or after simplification. */
export interface Lowered {
  readonly declarations: Declarations
  readonly builder: Builder
  readonly root: Region
  readonly bindings: BindingTable
  /** Private arrays: x# registers that are indexed by values, as constants of four words. */
  readonly privateArrays: readonly { readonly register: number; readonly count: number }[]
}
