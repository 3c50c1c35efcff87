/** Addresses of listings: documents of the scheme `dxbc` that stand for the compiled shader that their query names. */
import * as vscode from 'vscode'

export const LISTING_SCHEME = 'dxbc'
const EXTENSION = '.dxasm'

export const isListingUri = (uri: vscode.Uri): boolean => uri.scheme === LISTING_SCHEME

/** The listing of a compiled shader. Its path ends as listings do, so that editors recognize the language. */
export function listingOfShader(shader: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: LISTING_SCHEME, path: shader.path + EXTENSION, query: shader.toString() })
}

/** The compiled shader that a listing is of. */
export function shaderOfListing(listing: vscode.Uri): vscode.Uri {
  if (listing.query !== '') return vscode.Uri.parse(listing.query, true)
  return vscode.Uri.file(listing.path.slice(0, -EXTENSION.length))
}
