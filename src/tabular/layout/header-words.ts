// Words that stand in the names of columns far more often than in cells, in the languages exports come in. A hint and no more: "City" may
// also be a value. Compared without case, accents, plural s and punctuation.

const words = new Set(
  `id ids no nr num number code key ref reference name names title label first last middle surname forename given family full
  date day time month year week quarter hour timestamp datetime period start end from to until since created updated modified opened closed
  type kind category class group status state stage level grade rank order priority reason result
  country region county city town district municipality province area location place address street zip postcode postal latitude longitude lat lon lng
  email mail phone telephone fax url website link ip host user username customer client company organisation organization department team owner agent
  author supplier vendor manufacturer seller buyer party candidate
  amount price cost costs spend budget revenue sales salary income tax fee total sum balance payment currency value values
  count quantity qty volume rate ratio share percent percentage average avg mean median min max std minimum maximum score index
  size length width height weight depth distance duration age sex gender population households temperature pressure speed
  description desc comment comments note notes remark remarks message summary details text subject
  product item sku model brand colour color unit units version language source target campaign ad impressions clicks conversions reach
  station sensor sample species site case docket court judge plaintiff defendant filed amount
  nummer bezeichnung datum tag monat jahr zeit ort stadt land strasse plz betrag preis menge anzahl summe art typ bemerkung wert
  nom prenom ville pays rue adresse montant prix quantite nombre mois annee jour heure commune departement libelle statut
  nombre apellido ciudad pais calle direccion fecha hora mes ano importe precio cantidad estado descripcion tipo codigo
  nome cognome citta paese via indirizzo data ora mese anno importo prezzo quantita stato descrizione tipo codice
  endereco cidade quantidade valor preco descricao naam plaats straat bedrag prijs aantal`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Whether one of at most five words of the text is such a word. */
export function hasHeaderWord(text: string): boolean {
  if (text.length > 60) return false;
  const tokens = text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((token) => token !== '');
  return tokens.length <= 5 && tokens.some((token) => words.has(token) || words.has(token.replace(/s$/, '')));
}
