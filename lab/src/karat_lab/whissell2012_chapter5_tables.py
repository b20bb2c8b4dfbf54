"""The cells of whissell2012 tables 5.3 to 5.14, as printed."""

from __future__ import annotations

MEASURES = ("NMI", "FQ", "PQ", "EQ")


def _cells(text: str) -> dict[str, tuple[float, ...]]:
    """A name and its numbers in each line."""
    lines = [line.split() for line in text.strip().splitlines()]
    return {name: tuple(float(value) for value in values) for name, *values in lines}


#: changes in %, by collection; NMI, FQ, PQ, EQ. The printed overall is over all of the table
BY_COLLECTION = {
    "5.3": _cells("""
        fbis -1.6 -0.4 -1.0 -1.3
        new3 0.1 -2.3 -2.0 0.3
        re0 -11.0 -4.1 -5.3 -5.4
        re1 14.8 4.9 4.9 8.6
        tr31 15.9 8.2 7.5 10.4
        tr41 12.5 7.8 8.3 8.8
        tr45 20.0 17.5 12.5 15.6
        wap 6.6 7.6 6.4 7.2
        overall 7.2 4.9 3.9 5.5
    """),
    "5.10": _cells("""
        new3 -0.8 -4.5 -1.5 -0.7
        re0 4.2 2.5 2.6 2.3
        re1 2.2 -0.5 1.2 1.4
        tr41 2.5 0.5 1.9 2.5
        tr45 3.7 3.2 2.8 3.6
        wap 4.2 3.3 2.5 3.7
        overall 2.7 0.8 1.6 2.1
    """),
    "5.11": _cells("""
        new3 2.3 3.4 2.9 1.2
        re0 13.1 4.6 6.0 6.4
        re1 -1.0 0.5 0.7 -0.7
        tr41 1.6 -0.8 1.0 2.1
        tr45 -3.1 -3.9 -1.9 -1.8
        wap 4.4 4.1 3.5 3.5
        overall 2.9 1.3 2.0 1.8
    """),
}
#: changes in %, by algorithm; NMI, FQ, PQ, EQ
BY_ALGORITHM = {
    "5.5": _cells("""
        UPGMA 22.1 16.4 15.8 22.9
        RB-K-means 14.0 10.5 7.7 9.7
        Agglo-H1 5.6 4.3 2.9 4.4
        Agglo-I2 5.4 3.1 2.8 4.5
        RB-H1 3.1 2.1 1.1 2.6
        RB-I2 2.8 1.2 1.1 2.6
        Slink 6.6 0.0 0.2 0.8
        Clink -5.4 -1.2 -0.1 0.0
        NC-NMF 19.4 13.5 12.0 13.2
        Direct-I2 14.7 7.4 7.7 10.5
        PAM 10.4 8.3 7.0 8.0
        Direct-H1 11.9 6.0 6.1 8.0
        Spect-Un 6.5 5.4 4.3 5.8
        Spect-RW 5.3 5.7 3.3 5.0
        K-means 7.6 4.4 2.5 4.1
        Spect-Sy 4.1 3.7 2.4 3.8
        PCA-K 2.1 1.2 4.9 -1.2
    """),
    "5.12": _cells("""
        Clink 6.6 3.5 5.7 8.0
        RB-K-means 4.5 2.0 2.3 3.3
        Agglo-H1 2.4 0.5 1.3 1.7
        RB-H1 1.6 0.0 0.4 1.1
        UPGMA 2.6 -0.5 1.1 2.2
        RB-I2 1.7 0.4 0.8 1.2
        Agglo-I2 1.6 0.2 0.8 1.0
        Slink -1.8 0.0 0.0 -0.2
        PCA-K 7.3 5.5 4.5 5.0
        NC-NMF 3.7 2.4 3.2 3.4
        PAM 3.9 2.9 2.4 2.5
        Spect-Un 3.8 1.3 2.9 3.1
        Spect-RW 3.2 1.8 1.9 2.7
        Direct-H1 2.9 1.2 2.1 2.3
        K-means 2.9 1.6 1.4 2.2
        Spect-Sy 3.0 0.5 1.5 2.4
        Direct-I2 1.9 1.1 1.6 1.5
    """),
    "5.13": _cells("""
        Clink 18.0 11.8 8.2 7.5
        RB-I2 3.2 2.6 2.5 1.9
        UPGMA 3.3 0.3 1.8 2.4
        RB-H1 2.4 1.2 1.8 1.6
        Agglo-H1 2.1 0.9 1.3 1.3
        Agglo-I2 1.5 0.5 1.7 0.7
        Slink -3.0 0.2 -0.2 -0.3
        RB-K-means -3.3 -4.3 -2.3 -2.3
        PCA-K 10.0 6.1 7.8 9.0
        Spect-Un 5.1 3.1 3.7 3.3
        PAM 5.4 1.9 2.6 3.0
        Spect-RW 5.0 1.6 2.4 3.0
        K-means 2.6 2.0 3.3 3.0
        Spect-Sy 4.4 0.9 2.1 2.4
        Direct-H1 0.5 -0.7 0.0 0.0
        NC-NMF -0.6 -0.2 0.0 0.0
        Direct-I2 -1.2 -1.1 -0.3 -1.6
    """),
    "5.14": _cells("""
        UPGMA 20.0 18.3 17.3 22.8
        Agglo-H1 4.7 4.5 3.0 3.8
        Agglo-I2 4.4 3.4 3.3 3.9
        RB-K-means 5.0 3.5 2.6 3.7
        RB-I2 3.7 2.3 2.3 3.1
        RB-H1 2.4 1.2 1.8 1.6
        Clink -0.6 4.9 0.5 -2.4
        Slink 0.7 -0.2 -0.2 0.0
        NC-NMF 14.6 8.5 9.4 10.2
        PAM 13.2 9.1 9.3 10.2
        Spect-Un 8.3 7.6 6.4 7.3
        Spect-RW 7.4 6.3 4.8 6.4
        Direct-I2 8.4 5.1 5.0 6.1
        Direct-H1 8.6 4.6 4.0 5.8
        K-means 7.8 4.6 4.7 5.7
        Spect-Sy 4.9 4.2 3.5 4.1
        PCA-K 6.0 2.7 1.9 3.0
    """),
}


def _best(text: str) -> dict[str, tuple[str, float, str, float]]:
    """Collection, best algorithm and value of the one weight, and of the other."""
    rows = [line.split() for line in text.strip().splitlines()]
    return {name: (a, float(x), b, float(y)) for name, a, x, b, y in rows}


#: the best algorithm of each collection under the first weight, and under the second
BEST = {
    "5.4": {
        "NMI": _best("""
            fbis RB-H1 0.566 RB-H1 0.558
            new3 RB-H1 0.577 RB-I2 0.590
            re0 RB-I2 0.420 RB-H1 0.417
            re1 RB-I2 0.492 RB-I2 0.556
            tr31 RB-H1 0.533 Agglo-I2 0.591
            tr41 Agglo-I2 0.630 Agglo-I2 0.657
            tr45 RB-I2 0.622 Agglo-I2 0.667
            wap RB-I2 0.571 Agglo-H1 0.573
        """),
        "FQ": _best("""
            fbis Agglo-H1 0.560 Agglo-H1 0.549
            new3 RB-H1 0.324 RB-I2 0.323
            re0 Direct-H1 0.478 Direct-I2 0.431
            re1 Agglo-I2 0.470 Agglo-I2 0.479
            tr31 Clink 0.585 UPGMA 0.688
            tr41 Agglo-I2 0.611 Direct-I2 0.655
            tr45 Agglo-I2 0.590 Agglo-H1 0.672
            wap Agglo-I2 0.507 Agglo-H1 0.539
        """),
        "EQ": _best("""
            fbis RB-H1 0.704 RB-H1 0.692
            new3 RB-H1 0.601 RB-H1 0.594
            re0 RB-H1 0.703 RB-H1 0.689
            re1 RB-I2 0.632 RB-I2 0.663
            tr31 RB-H1 0.859 RB-I2 0.895
            tr41 RB-I2 0.860 RB-I2 0.884
            tr45 RB-I2 0.831 RB-H1 0.854
            wap RB-I2 0.686 RB-H1 0.689
        """),
        "PQ": _best("""
            fbis RB-H1 0.687 RB-H1 0.676
            new3 RB-H1 0.666 RB-I2 0.679
            re0 RB-H1 0.681 RB-H1 0.679
            re1 RB-I2 0.626 RB-I2 0.685
            tr31 RB-H1 0.810 RB-I2 0.850
            tr41 RB-I2 0.829 RB-I2 0.859
            tr45 RB-I2 0.783 RB-H1 0.816
            wap RB-H1 0.670 RB-H1 0.677
        """),
    },
    "5.9": {
        "NMI": _best("""
            fbis RB-H1 0.569 RB-H1 0.498
            new3 RB-H1 0.577 RB-H1 0.527
            re0 RB-I2 0.420 RB-I2 0.437
            re1 RB-I2 0.493 RB-H1 0.431
            tr31 RB-H1 0.533 RB-I2 0.505
            tr41 Agglo-I2 0.630 RB-H1 0.603
            tr45 RB-I2 0.622 RB-H1 0.567
            wap RB-I2 0.571 Agglo-I2 0.598
        """),
        "FQ": _best("""
            fbis Agglo-H1 0.560 Clink 0.476
            new3 RB-H1 0.324 RB-H1 0.271
            re0 Direct-H1 0.478 Direct-H1 0.455
            re1 Agglo-I2 0.470 Direct-H1 0.379
            tr31 Clink 0.585 UPGMA 0.558
            tr41 Agglo-I2 0.611 Agglo-H1 0.550
            tr45 Agglo-I2 0.590 PCA-K 0.537
            wap Agglo-I2 0.507 Agglo-I2 0.589
        """),
        "EQ": _best("""
            fbis RB-H1 0.704 RB-H1 0.641
            new3 RB-H1 0.601 RB-H1 0.554
            re0 RB-H1 0.703 RB-I2 0.716
            re1 RB-I2 0.632 RB-H1 0.560
            tr31 RB-H1 0.859 RB-I2 0.833
            tr41 RB-I2 0.860 RB-H1 0.843
            tr45 RB-I2 0.831 RB-H1 0.765
            wap RB-I2 0.686 RB-I2 0.710
        """),
        "PQ": _best("""
            fbis RB-H1 0.687 RB-H1 0.618
            new3 RB-H1 0.666 RB-H1 0.622
            re0 RB-H1 0.681 RB-I2 0.697
            re1 RB-I2 0.626 RB-H1 0.570
            tr31 RB-H1 0.810 RB-I2 0.781
            tr41 RB-I2 0.829 RB-H1 0.807
            tr45 RB-I2 0.783 RB-H1 0.722
            wap RB-H1 0.670 RB-I2 0.691
        """),
    },
}


def _rankings(text: str) -> dict[str, tuple[str, ...]]:
    """A column for each measure, best first."""
    rows = [line.split() for line in text.strip().splitlines()]
    return dict(zip(MEASURES, zip(*rows, strict=True), strict=True))


RANKINGS = {
    "5.6": _rankings("""
        RB-I2 Agglo-I2 RB-I2 RB-H1
        RB-H1 Agglo-H1 RB-H1 RB-I2
        Agglo-I2 K-means Agglo-H1 Agglo-I2
        Agglo-H1 Direct-H1 Agglo-I2 Agglo-H1
        Spect-Sy Direct-I2 Spect-Sy Spect-Sy
        K-means Spect-Sy K-means K-means
        PCA-K Spect-Un PCA-K RB-K-means
        Spect-Un RB-I2 RB-K-means PCA-K
        Spect-RW RB-H1 Spect-RW Spect-Un
        RB-K-means UPGMA Spect-Un Spect-RW
        Direct-I2 NC-NMF PAM NC-NMF
        Direct-H1 Clink NC-NMF PAM
        NC-NMF PCA-K Clink Clink
        Clink Spect-RW Direct-H1 Direct-H1
        PAM RB-K-means Direct-I2 Direct-I2
        UPGMA PAM UPGMA UPGMA
        Slink Slink Slink Slink
    """),
    "5.7": _rankings("""
        Agglo-H1 Agglo-I2 RB-H1 RB-I2
        RB-I2 NC-NMF RB-I2 RB-H1
        Agglo-I2 Agglo-H1 Agglo-H1 Agglo-I2
        RB-H1 UPGMA Agglo-I2 Agglo-H1
        NC-NMF Direct-I2 RB-K-means RB-K-means
        Spect-Sy Direct-H1 NC-NMF Spect-Sy
        RB-K-means K-means Spect-Sy NC-NMF
        Spect-Un Spect-Un K-means K-means
        K-means RB-K-means Spect-Un Spect-Un
        Spect-RW Spect-RW Spect-RW Spect-RW
        Direct-I2 Spect-Sy PAM PCA-K
        UPGMA RB-H1 PCA-K PAM
        Direct-H1 Clink UPGMA Clink
        PCA-K RB-I2 Clink UPGMA
        PAM PAM Direct-I2 Direct-I2
        Clink PCA-K Direct-H1 Direct-H1
        Slink Slink Slink Slink
    """),
}
#: table 5.8, the upper half of its rows
TAUS = {
    ("tf NMI", "tf FQ"): 0.426,
    ("tf NMI", "tf PQ"): 0.809,
    ("tf NMI", "tf EQ"): 0.824,
    ("tf NMI", "tf-idf NMI"): 0.618,
    ("tf NMI", "tf-idf FQ"): 0.044,
    ("tf NMI", "tf-idf PQ"): 0.632,
    ("tf NMI", "tf-idf EQ"): 0.706,
    ("tf FQ", "tf PQ"): 0.265,
    ("tf FQ", "tf EQ"): 0.279,
    ("tf FQ", "tf-idf NMI"): 0.397,
    ("tf FQ", "tf-idf FQ"): 0.500,
    ("tf FQ", "tf-idf PQ"): 0.176,
    ("tf FQ", "tf-idf EQ"): 0.221,
    ("tf PQ", "tf EQ"): 0.926,
    ("tf PQ", "tf-idf NMI"): 0.603,
    ("tf PQ", "tf-idf FQ"): -0.059,
    ("tf PQ", "tf-idf PQ"): 0.735,
    ("tf PQ", "tf-idf EQ"): 0.779,
    ("tf EQ", "tf-idf NMI"): 0.618,
    ("tf EQ", "tf-idf FQ"): 0.015,
    ("tf EQ", "tf-idf PQ"): 0.779,
    ("tf EQ", "tf-idf EQ"): 0.824,
    ("tf-idf NMI", "tf-idf FQ"): 0.279,
    ("tf-idf NMI", "tf-idf PQ"): 0.750,
    ("tf-idf NMI", "tf-idf EQ"): 0.735,
    ("tf-idf FQ", "tf-idf PQ"): 0.176,
    ("tf-idf FQ", "tf-idf EQ"): 0.132,
    ("tf-idf PQ", "tf-idf EQ"): 0.926,
}
