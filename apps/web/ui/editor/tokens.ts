/** What the words of a listing are, for colors: line by line, without a grammar. */
import type { StreamParser } from '@codemirror/language'

export const LISTING_TOKENS: StreamParser<{ isFirst: boolean }> = {
  name: 'dxbc',
  startState: () => ({ isFirst: true }),
  token(stream, state) {
    if (stream.sol()) state.isFirst = true
    if (stream.eatSpace()) return null
    if (stream.match(/^\/\/.*/)) return 'comment'
    if (stream.match(/^[vpghdc]s_\d_\d\b/)) return 'heading'
    if (state.isFirst && stream.match(/^(?:dcl_|\.)\w+/)) return 'meta'
    if (
      state.isFirst &&
      stream.match(
        /^(?:if|else|endif|loop|endloop|break|continue|switch|case|default|endswitch|ret|call|label|discard|sync)\w*/,
      )
    )
      return 'keyword'
    if (state.isFirst && stream.match(/^[a-z]\w*/)) {
      state.isFirst = false
      return 'name'
    }
    if (stream.match(/^-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[-+]?\d+)?)/i)) return 'number'
    if (stream.match(/^(?:cb|icb|CB|r|x|v|o|t|u|s|g)\d+/)) return 'variableName'
    if (stream.match(/^v[A-Z]\w+/)) return 'variableName.special'
    if (stream.match(/^\.[xyzwrgba]+/)) return 'propertyName'
    if (stream.match(/^"[^"]*"?/)) return 'string'
    stream.match(/^\w+/) || stream.next()
    state.isFirst = false
    return null
  },
}
