import { tileUrl } from '@/config/env'
import L from 'leaflet'
import { baseMap, INDIA, placeLabel } from './base-map'
import { clusterPins, labelsOf, pinPrice, type Box, type Cluster, type Pin } from './cluster'

/** From here on the parts of a city are named instead of the city. */
const CLOSE = 10
const MOST_IN_POPUP = 8

export type Words = {
  pin: (pin: Pin) => string
  cluster: (count: number) => string
  more: (count: number) => string
  zoomIn: string
  zoomOut: string
}
type Options = {
  words: Words
  box: Box | null
  isVisited: (pin: Pin) => boolean
  onOpen: (pin: Pin) => void
  onMove: (box: Box) => void
  onLight: (id: string | null) => void
}

type Drawn = { marker: L.Marker; pins: readonly Pin[] }

const boxOf = (map: L.Map): Box => {
  const bounds = map.getBounds()
  return [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]
}
const boundsOf = (pins: readonly Pin[]) => L.latLngBounds(pins.map(({ lat, lng }) => [lat, lng]))

/** A map with pins on it. All that is drawn is kept in step with what is set. */
export function drawMap(element: HTMLElement, { words, box, isVisited, onOpen, onMove, onLight }: Options) {
  const map = baseMap(element, words)
  const labels = L.layerGroup().addTo(map)
  const markers = L.layerGroup().addTo(map)
  const byPin = new Map<string, L.Marker>()
  let drawn = new Map<string, Drawn>()
  let pins: readonly Pin[] = []
  let lit: string | null = null
  let ours = false

  /** Moves on our own account, of which nobody is told. Without animation a move is over when its call is. */
  function settle(move: () => void) {
    ours = true
    move()
    ours = false
  }

  function popupOf(cluster: Cluster) {
    const list = document.createElement('ul')
    for (const pin of cluster.pins.slice(0, MOST_IN_POPUP)) {
      const item = document.createElement('li')
      const link = document.createElement('a')
      link.href = `/property/${encodeURIComponent(pin.slug)}`
      link.textContent = words.pin(pin)
      link.style.display = 'inline-block'
      link.style.padding = '4px 0'
      link.addEventListener('click', (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        onOpen(pin)
      })
      item.append(link)
      list.append(item)
    }
    const rest = cluster.pins.length - MOST_IN_POPUP
    if (rest > 0) {
      const more = document.createElement('li')
      more.textContent = words.more(rest)
      list.append(more)
    }
    return list
  }

  /** Points of one spot never come apart, however near. */
  function comesApart({ pins }: Cluster) {
    const apart = boundsOf(pins)
    return !apart.getNorthEast().equals(apart.getSouthWest()) && map.getZoom() < map.getMaxZoom()
  }

  function markerOf(cluster: Cluster) {
    const [first] = cluster.pins
    const single = cluster.pins.length === 1 && first
    const names = ['pin']
    if (!single) names.push('cluster')
    else if (isVisited(first)) names.push('visited')
    if (cluster.pins.some(({ id }) => id === lit)) names.push('lit')
    const marker = L.marker([cluster.lat, cluster.lng], {
      keyboard: true,
      riseOnHover: true,
      icon: L.divIcon({
        className: names.join(' '),
        html: single ? pinPrice(first.price) : String(cluster.pins.length),
        iconSize: undefined,
      }),
    })
    marker.on('add', () => {
      const drawn = marker.getElement()
      drawn?.setAttribute('role', 'button')
      // What is seen is part of what is said.
      const name = single
        ? `${pinPrice(first.price)}: ${words.pin(first)}`
        : words.cluster(cluster.pins.length)
      drawn?.setAttribute('aria-label', name)
    })
    if (comesApart(cluster)) {
      const enter = () => map.fitBounds(boundsOf(cluster.pins).pad(0.3))
      marker.on('click', enter)
      // The library lets the key open popups, and nothing else.
      marker.on('keypress', ({ originalEvent }) => {
        if (originalEvent.key === 'Enter') enter()
      })
    } else marker.bindPopup(popupOf(cluster), { maxWidth: 280, offset: [0, -8] })
    if (single) {
      marker.on('mouseover', () => onLight(first.id))
      marker.on('mouseout', () => onLight(null))
    }
    return marker
  }

  /**
   * Markers that say the same stay, with the focus and the popup that are on them: opening a popup may itself move the map,
   * and then new results come. A popup whose marker does change opens on the new one.
   */
  function redraw() {
    labels.clearLayers()
    byPin.clear()
    const zoom = map.getZoom()
    const clusters = clusterPins(pins, (lat, lng) => map.project([lat, lng], zoom))
    const before = drawn
    drawn = new Map()
    const anew: [string, Cluster][] = []
    for (const cluster of clusters) {
      const said = JSON.stringify([
        cluster.pins,
        comesApart(cluster),
        cluster.pins.length === 1 && cluster.pins.every(isVisited),
      ])
      const kept = before.get(said)
      if (!kept) anew.push([said, cluster])
      else {
        before.delete(said)
        drawn.set(said, kept)
      }
    }
    let open: Pin | undefined
    for (const { marker, pins: own } of before.values()) {
      if (marker.isPopupOpen()) [open] = own
      markers.removeLayer(marker)
    }
    for (const [said, cluster] of anew)
      drawn.set(said, { marker: markerOf(cluster).addTo(markers), pins: cluster.pins })
    for (const { marker, pins: own } of drawn.values()) for (const { id } of own) byPin.set(id, marker)
    if (open) byPin.get(open.id)?.openPopup()
    if (tileUrl) return
    for (const { name, lat, lng } of labelsOf(clusters, zoom >= CLOSE ? 'locality' : 'city'))
      placeLabel(name, [lat, lng]).addTo(labels)
  }

  settle(() =>
    box
      ? map.fitBounds(
          [
            [box[1], box[0]],
            [box[3], box[2]],
          ],
          { animate: false },
        )
      : map.fitBounds(INDIA, { animate: false }),
  )
  map.on('zoomend', redraw)
  map.on('moveend', () => {
    if (!ours) onMove(boxOf(map))
  })

  return {
    setPins(next: readonly Pin[], fit: boolean) {
      pins = next
      if (fit && next.length)
        settle(() => map.fitBounds(boundsOf(next).pad(0.1), { maxZoom: 14, animate: false }))
      redraw()
    },
    /** Shows which pin belongs to the card that is looked at. */
    light(id: string | null) {
      byPin
        .get(lit ?? '')
        ?.getElement()
        ?.classList.remove('lit')
      lit = id
      byPin
        .get(id ?? '')
        ?.getElement()
        ?.classList.add('lit')
    },
    box: () => boxOf(map),
    resized: () => settle(() => map.invalidateSize({ pan: false })),
    remove: () => map.remove(),
  }
}

export type DrawnMap = ReturnType<typeof drawMap>
