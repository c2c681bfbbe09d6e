# A floor of 4 m span and 6 m width: boards on parallel joists of one of three materials and three shapes.
#
#   awk -f floor.awk MATERIAL SHAPE JOISTS HEIGHT    prints cost, stress, sag and mass of that floor as JSON
#   awk -f floor.awk                                 evaluates all 1,755 floors and prints the cheapest feasible one

function catalogue() {
    # density kg/m³, stiffness N/mm², strength N/mm², price per kg
    enter("steel", "7850 210000 150 1.1")
    enter("aluminium", "2700 70000 90 4.5")
    enter("spruce", "450 11000 14 2.4")
    # share of the full rectangle's area and of its second moment of area, price of shaping a joist
    enter("solid", "1 1 0")
    enter("tube", "0.36 0.59 14")
    enter("beam", "0.28 0.62 22")
}

function enter(name, numbers,    list, k, n) {
    n = split(numbers, list)
    for (k = 1; k <= n; k++)
        data[name, k] = list[k]
}

# height of a joist in cm; it is half as wide. Sets cost, stress as a share of the strength, sag (mm) and mass (kg).
function evaluate(material, shape, joists, height,    h, moment, load) {
    h = 10 * height
    moment = data[shape, 2] * h / 2 * h ^ 3 / 12
    mass = joists * data[shape, 1] * h / 2 * h * 1e-6 * 4 * data[material, 1]
    load = 18 / joists + 9.81e-3 * mass / joists / 4               # N/mm: 3 kN/m² and the joist itself
    stress = load * 4000 ^ 2 / 8 * h / 2 / moment / data[material, 3]
    sag = 5 * load * 4000 ^ 4 / (384 * data[material, 2] * moment)
    cost = mass * data[material, 4] + joists * (20 + data[shape, 3])
    cost += 3500 / joists                                          # the wider apart, the thicker the boards
}

function search(    m, s, j, h, which, best) {
    split("steel aluminium spruce", materials)
    split("solid tube beam", shapes)
    for (m = 1; m <= 3; m++) for (s = 1; s <= 3; s++) for (j = 3; j <= 15; j++) for (h = 6; h <= 20; h++) {
        evaluate(materials[m], shapes[s], j, h)
        if (stress <= 1 && sag <= 13 && mass <= 500 && (!best || cost < best)) {
            best = cost
            which = materials[m] " " shapes[s] " " j " " h
        }
    }
    print which ": cost " best
}

BEGIN {
    catalogue()
    if (ARGC == 1) { search(); exit }
    evaluate(ARGV[1], ARGV[2], ARGV[3], ARGV[4])
    printf "{\"cost\": %.10g, \"stress\": %.10g, \"sag\": %.10g, \"mass\": %.10g}\n", cost, stress, sag, mass
}
