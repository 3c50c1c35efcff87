/** Words that declarations take: interpolation modes, system values, flags. */
import { declarationPieces } from '../../asm/index.ts'
import { type DeclarationForm, type Enumeration, GLOBAL_FLAG_LIST } from '../../isa/index.ts'

const wordsOf = ({ words }: Enumeration): readonly string[] =>
  words.filter((w) => w !== undefined && w !== '' && !w.startsWith('<')) as string[]

/** The words that may stand in a declaration of a form. */
export function declarationWords(form: DeclarationForm): readonly string[] {
  return declarationPieces(form).flatMap((piece) => {
    if (piece.piece === 'word' || piece.piece === 'parameter-word') return wordsOf(piece.words)
    return piece.piece === 'global-flags' ? GLOBAL_FLAG_LIST.map((f) => f.word) : []
  })
}
