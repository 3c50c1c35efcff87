import {
  bytecodeHash,
  CONTAINER_HEADER_BYTES,
  computeChecksum,
  FNV_BASIS,
  fnv1Hash64,
  hexDigest,
  isContainer,
  readDxbc,
  storedChecksum,
} from '../../../src/dxbc/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT } from '../exit.ts'
import { COMPILED_SHADERS, inputFiles } from '../inputs.ts'
import { print } from '../print.ts'
import { printJson } from '../print-diagnostics.ts'
import { printError } from '../terminal.ts'

interface FileHashes {
  readonly file: string
  /** The checksum in the file, 32 hex digits. */
  readonly checksum: string
  /** Whether the bytes give that checksum. */
  readonly checksumIsRight: boolean
  /** FNV-1 64 from 0: the file names of 3Dmigoto. */
  readonly fnv1From0: string
  /** The file names of 3Dmigoto with `shader_hash = bytecode`. */
  readonly bytecode: string
  /** FNV-1 64 from the standard basis. */
  readonly fnv1: string
}

function hashesOf(file: string, bytes: Uint8Array): FileHashes {
  const checksum = hexDigest(storedChecksum(bytes))
  const fnv1From0 = fnv1Hash64(bytes)
  const container = readDxbc(bytes).value
  return {
    file,
    checksum,
    checksumIsRight: checksum === hexDigest(computeChecksum(bytes)),
    fnv1From0,
    bytecode: (container === undefined ? undefined : bytecodeHash(container)) ?? fnv1From0,
    fnv1: fnv1Hash64(bytes, FNV_BASIS),
  }
}

/** `heddle hash`. */
export async function hash(files: readonly string[], options: { readonly json?: boolean }): Promise<void> {
  const all: FileHashes[] = []
  await eachFile(await inputFiles(files, COMPILED_SHADERS), (path, bytes) => {
    if (!isContainer(bytes) || bytes.length < CONTAINER_HEADER_BYTES) {
      printError(
        `${path} is no DXBC container: it does not begin with DXBC and a header of ${CONTAINER_HEADER_BYTES} bytes`,
      )
      return EXIT.usage
    }
    const hashes = hashesOf(path, bytes)
    all.push(hashes)
    if (options.json !== true) {
      const note = hashes.checksumIsRight ? '' : ' (not the ordinary checksum of these bytes)'
      const lines = [
        path,
        `  checksum            ${hashes.checksum}${note}`,
        `  3dmigoto            ${hashes.fnv1From0} (FNV-1 64 from 0)`,
        `  3dmigoto, bytecode  ${hashes.bytecode} (CRC-32C of code and signatures)`,
        `  fnv1-64             ${hashes.fnv1}`,
      ]
      print(`${lines.join('\n')}\n`)
    }
    return EXIT.fine
  })
  if (options.json === true) printJson(all)
}
