import {
  type InstructionRow,
  RESINFO_RETURN,
  SAMPLEINFO_RETURN,
  SATURATE,
  SYNC,
  SYNC_TGSM,
  SYNC_THREADS,
  SYNC_UAV_GLOBAL,
  SYNC_UAV_GROUP,
  TEST,
} from '../../isa/index.ts'

/**
 * What an instruction says before its operands; read by the listing and by the parser. In order:
 *
 *     mnemonic   _sat or the flags of sync   _z or _nz   _aoffimmi   _indexable
 *     ` [precise]` or ` [precise(xy)]`   `(u,v,w)` texel offset   `(dimension)`   `(type,type,type,type)`
 *     _uint or _rcpfloat
 *
 * The return type of resinfo and sampleinfo comes last (`resinfo_indexable(texture2d)(float,float,float,float)_uint`,
 * corpus: ps/resinfo_ps). A blank ends the head, also where no operand follows, save for sync.
 */
export const SATURATE_SUFFIX = '_sat'
/** By the value of the TEST control. */
export const TEST_SUFFIX: readonly string[] = ['_z', '_nz']
export const OFFSET_SUFFIX = '_aoffimmi'
export const INDEXABLE_SUFFIX = '_indexable'
export const PRECISE_WORD = 'precise'

/** Suffixes of resinfo and sampleinfo, by the value of their return-type controls; other values have none. */
export const RESINFO_SUFFIX: readonly string[] = ['', '_rcpfloat', '_uint']
export const SAMPLEINFO_SUFFIX: readonly string[] = ['', '_uint']

/** A suffix of sync: the bits of the SYNC control that are set, and that are clear, where it is printed. */
interface SyncSuffix {
  readonly suffix: string
  readonly set: number
  readonly clear: number
}

/**
 * In the order of printing. The bit of `_ugroup` is also the saturate bit, which the disassembler reads on every
 * instruction: the real text is `sync_sat_ugroup` (corpus: synthetic/sync_flags).
 */
export const SYNC_SUFFIXES: readonly SyncSuffix[] = [
  { suffix: '_uglobal', set: SYNC_UAV_GLOBAL, clear: 0 },
  { suffix: '_ugroup', set: SYNC_UAV_GROUP, clear: SYNC_UAV_GLOBAL },
  { suffix: '_g', set: SYNC_TGSM, clear: 0 },
  { suffix: '_t', set: SYNC_THREADS, clear: 0 },
]

/** The suffixes of the flags of a barrier. */
export const syncSuffix = (flags: number): string =>
  SYNC_SUFFIXES.map((s) => ((flags & s.set) === s.set && (flags & s.clear) === 0 ? s.suffix : '')).join('')

const oneOf = (suffixes: readonly string[]): string => suffixes.filter((s) => s !== '').join('|')

/** `[_uglobal|_ugroup][_g][_t]`: a suffix that is printed where another is not is its alternative. */
const SYNC_SYNTAX = SYNC_SUFFIXES.filter((s) => s.clear === 0)
  .map(({ suffix, set }) => {
    const others = SYNC_SUFFIXES.filter((o) => o.clear === set).map((o) => o.suffix)
    return `[${oneOf([suffix, ...others])}]`
  })
  .join('')

/** A mnemonic with the suffixes that its controls take, in the manner of the reference pages: `[may]`, `{must}`. */
export function mnemonicSyntax({ mnemonic, controls }: InstructionRow): string {
  const saturate = controls.includes(SATURATE) ? `[${SATURATE_SUFFIX}]` : ''
  const test = controls.includes(TEST) ? `{${oneOf(TEST_SUFFIX)}}` : ''
  const resinfo = controls.includes(RESINFO_RETURN) ? `[${oneOf(RESINFO_SUFFIX)}]` : ''
  const sampleinfo = controls.includes(SAMPLEINFO_RETURN) ? `[${oneOf(SAMPLEINFO_SUFFIX)}]` : ''
  return mnemonic + saturate + test + resinfo + sampleinfo + (controls.includes(SYNC) ? SYNC_SYNTAX : '')
}
