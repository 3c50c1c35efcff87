import { checkPasses } from '../../src/engine/ir/pass-check.ts'
import { verifyOrThrow } from '../../src/engine/ir/verify.ts'

/** Set-up of every test and of differential runs: the compiler's programs are verified after each pass. */
checkPasses(verifyOrThrow)
