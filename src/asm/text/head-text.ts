import { SYNC_TGSM, SYNC_THREADS, SYNC_UAV_GLOBAL, SYNC_UAV_GROUP } from '../../isa/index.ts'

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
 * In the order of printing. The bit of `_ugroup` is also the saturate bit, which the disassembler knows on every
 * instruction: the real text is `sync_sat_ugroup` (corpus: synthetic/sync_flags).
 */
export const SYNC_SUFFIXES: readonly SyncSuffix[] = [
  { suffix: '_uglobal', set: SYNC_UAV_GLOBAL, clear: 0 },
  { suffix: '_ugroup', set: SYNC_UAV_GROUP, clear: SYNC_UAV_GLOBAL },
  { suffix: '_g', set: SYNC_TGSM, clear: 0 },
  { suffix: '_t', set: SYNC_THREADS, clear: 0 },
]
