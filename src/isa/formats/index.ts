/**
 * The DXGI formats as data: what each is called, how its bits lie, what Direct3D 11 can do with it.
 *
 * Invariants: one row a format, its layout read from its own name (functional spec 19.1.3); names are DXGI's without
 * the prefix; numbers are those of the DXGI_FORMAT enumeration.
 * It holds no code that converts texels: that is `machine/format`.
 */
export type {
  ComponentEncoding,
  ComponentName,
  Format,
  FormatCapabilities,
  FormatComponent,
  FormatLayout,
  FormatResource,
  FormatResult,
  Support,
} from './format.ts'
export { canCast, FORMATS, type FormatName, findFormat, formatNamed, similarFormats } from './formats.ts'
